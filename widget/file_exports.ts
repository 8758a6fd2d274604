/** How a file of the widget hands its function to the one that has loaded it: scripts export nothing. */

/** The page's globals, which all copies of the widget share. */
export const page = globalThis as unknown as Record<symbol, unknown>;

/** By the file's name without version: a module that was loaded before does not run again. */
const keyOf = (name: string) => Symbol.for(`agent-chat.${name.split(".")[0]}`);

/** Called by the file. */
export function offer(name: string, start: unknown): void {
  page[keyOf(name)] = start;
}

/** What the file that has just run offered: taken at once, so that releases on a page do not mix. */
export function takeOffer<T>(name: string): T {
  return page[keyOf(name)] as T;
}
