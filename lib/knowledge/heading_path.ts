/** What is kept of one heading: longer ones are no headings, but are cited all the same. */
const MAX_CHARACTERS = 160;
const MAX_DEPTH = 6;

/** The headings above the place a reader has come to. */
export class HeadingPath {
  #open: { level: number; text: string }[] = [];
  #used = true;

  /** Outermost first. */
  get path(): string[] {
    return this.#open.map(({ text }) => text);
  }

  /**
   * The last heading with the path it stands under, if nothing has stood under it and nothing will,
   * because one of `level` is next.
   */
  bareBefore(level: number): { text: string; path: string[] } | undefined {
    const last = this.#open.at(-1);
    if (this.#used || last === undefined || last.level < level) return undefined;
    return { text: last.text, path: this.path.slice(0, -1) };
  }

  /** Something stands under the headings. */
  used(): void {
    this.#used = true;
  }

  enter({ level, text }: { level: number; text: string }): void {
    while ((this.#open.at(-1)?.level ?? 0) >= level) this.#open.pop();
    if (this.#open.length === MAX_DEPTH) this.#open.pop();
    this.#open.push({ level, text: shorten(text) });
    this.#used = false;
  }
}

function shorten(text: string): string {
  const characters = Array.from(text.slice(0, MAX_CHARACTERS * 2));
  if (characters.length <= MAX_CHARACTERS) return text;
  return `${characters.slice(0, MAX_CHARACTERS - 1).join("").trimEnd()}…`;
}
