/** How the store says so, of one value and of all that one step writes. */
const TOO_LARGE = /^(Value|Total mutation size|Total key size) too large/;

/** Whether a commit was refused for its size: nothing of it was made, and trying again is in vain. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof TypeError && TOO_LARGE.test(error.message);
}
