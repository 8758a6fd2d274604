/** Functions of a page that an agent may call: tools of type `client`. */

/** Gets the model's arguments, which the service has checked. `signal` aborts when the call is over. */
export type PageTool = (
  // deno-lint-ignore no-explicit-any -- the page knows its tool's parameters
  args: any,
  options: { readonly signal: AbortSignal },
) => unknown;

/** The body of `POST /v1/chat/runs/:runId/calls/:n/output`. */
export type ToolAnswer = { readonly output: unknown } | { readonly error: string };

export interface ToolCallOptions {
  readonly name: string;
  readonly args: unknown;
  readonly signal: AbortSignal;
}

/** The service's limit for an output, as JSON. */
const MAX_OUTPUT_BYTES = 256 * 1024;
/** The service's limit. */
const MAX_ERROR_LENGTH = 1000;

/** Calls the function. The model and the site's developer can read what goes wrong in it. */
export async function callPageTool(
  tool: PageTool | undefined,
  { name, args, signal }: ToolCallOptions,
): Promise<ToolAnswer> {
  try {
    if (!tool) return failedCall(name, "not available on this page");
    const json = JSON.stringify(await tool(args, { signal }) ?? null);
    // Functions and symbols have no JSON.
    if (json && new Blob([json]).size <= MAX_OUTPUT_BYTES) return { output: JSON.parse(json) };
    return failedCall(name, "not JSON up to 256 KiB");
  } catch (error) {
    return failedCall(name, error);
  }
}

export function failedCall(name: string, error: unknown): ToolAnswer {
  console.error(`[agent-chat] tool ${name}:`, error);
  const message = String((error as Error)?.message || error).slice(0, MAX_ERROR_LENGTH);
  // The service takes no text that is empty, nor a half of a pair of surrogates.
  return { error: message.replace(/[\0\p{Cs}]/gu, "") || "failed" };
}

/**
 * Acts in the first tab that comes, as a copy of a tab has the same calls. The lock is held until the page
 * is left, because a copy may be late.
 */
export async function actInOneTab(call: string, act: () => Promise<void>): Promise<void> {
  try {
    await navigator.locks.request(`agent-chat:${call}`, { ifAvailable: true }, async (lock) => {
      if (lock) await act().finally(() => new Promise(() => {}));
    });
  } catch {
    // Pages without encryption have no locks, and sandboxed frames may not use them.
    await act();
  }
}
