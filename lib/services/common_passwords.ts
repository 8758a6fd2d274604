import type { ZxcvbnFactory } from "@zxcvbn-ts/core";

/**
 * zxcvbn's boundary between its scores 2 and 3. It rejects 999 of the 1,000 most common leaked passwords
 * of ten or more characters.
 */
const MIN_GUESSES = 1e8;
/** The estimator blocks the event loop: about 15 ms for this many characters. */
const MAX_ESTIMATED = 64;
/** Names that people use for this product. */
const PRODUCT_NAMES = ["agent chat service", "agentchatservice", "agentchat", "agent", "chat"];

const NON_WORD = /[^\p{L}\p{N}]+/u;

export type CommonPasswordIssue = "common" | "personal";

/**
 * `common`: a common password or a variation of one; `personal`: made of the user's e-mail or the
 * product's name. The word lists take 40 MiB and 0.2 s to load, on first use.
 */
export async function commonPasswordIssue(
  password: string,
  { email }: { email: string },
): Promise<CommonPasswordIssue | undefined> {
  lists ??= loadLists().catch((error) => {
    lists = undefined;
    throw error;
  });
  const { estimator, isListed } = await lists;
  const guessed = [...password].slice(0, MAX_ESTIMATED).join("");
  if (isListed(password) || estimator.check(guessed).guesses < MIN_GUESSES) return "common";
  const { guesses } = estimator.check(guessed, [...wordsOf(email), ...PRODUCT_NAMES]);
  return guesses < MIN_GUESSES ? "personal" : undefined;
}

type Lists = { estimator: ZxcvbnFactory; isListed: (password: string) => boolean };

let lists: Promise<Lists> | undefined;

async function loadLists(): Promise<Lists> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }, listed] = await Promise.all([
    import("@zxcvbn-ts/core"),
    import("@zxcvbn-ts/language-common"),
    import("fxa-common-password-list"),
  ]);
  const estimator = new ZxcvbnFactory({
    dictionary: { "passwords-common": dictionary["passwords-common"] },
    graphs: adjacencyGraphs,
  });
  const list: { test(password: string): boolean } = listed.default;
  return { estimator, isListed: (password) => list.test(password.toLowerCase()) };
}

/** The whole address, its two sides with and without punctuation, and all its words. */
function wordsOf(email: string): string[] {
  const sides = email.split("@");
  const words = email.split(NON_WORD);
  const joined = sides.map((side) => side.split(NON_WORD).join(""));
  return [email, ...sides, ...joined, ...words].filter((word) => word.length > 2);
}
