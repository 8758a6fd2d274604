import type { Conversation } from "./conversation_record.ts";
import { isOnPath, parentOfNext, pathTo, type RunPath } from "./current_path.ts";

/** Twice what one call can repeat. */
const MAX_DIGESTS = 128;

type Digests = Pick<Conversation, "digests" | "digestRuns" | "known">;
type DigestFields = Required<Digests>;

/** Computes the keyed digest for one without a key. */
type KeyDigest = (digest: string) => string;

/** The keyed digests of a conversation's messages, each with the number of its run; -1 if unknown. */
function storedDigests(
  { digests = [], digestRuns = [], known }: Digests,
  keyed: KeyDigest,
): [digest: string, n: number][] {
  // A release that does not know the numbers may have dropped some digests.
  const isNumbered = digestRuns.length === digests.length;
  return [
    ...known.map((digest): [string, number] => [keyed(digest), -1]),
    ...digests.map((digest, i): [string, number] => [digest, isNumbered ? digestRuns[i]! : -1]),
  ];
}

/**
 * The keyed digests of the messages that come before a new run, including those stored without a key.
 * `replaced` is the number of the run that it replaces: that one and those after it do not count.
 */
export function knownDigests(
  conversation: Digests & Pick<Conversation, "next" | "branches">,
  { keyed, replaced }: { keyed: KeyDigest; replaced?: number | undefined },
): string[] {
  const { branches } = conversation;
  const path = pathTo(parentOfNext(conversation, replaced), branches);
  return storedDigests(conversation, keyed)
    .filter(([, n]) => isBefore(path, n))
    .map(([digest]) => digest);
}

/** The digests with those of run `n`; to be spread into the record. */
export function withDigests(
  conversation: Digests | undefined,
  { digests, known, keyed, n, path }: {
    digests: readonly string[];
    /** Those that earlier runs on the path have stored. */
    known: readonly string[];
    keyed: KeyDigest;
    n: number;
    /** The path with the run. */
    path: RunPath;
  },
): DigestFields {
  const stored = conversation === undefined ? [] : storedDigests(conversation, keyed);
  const before = new Set(known);
  // Runs of two branches may have stored the same message, each for its own.
  const own = [...new Set(digests)].filter((digest) => !before.has(digest));
  const added = own.map((digest): [string, number] => [digest, n]);
  return toFields(trimmed([...stored, ...added], path));
}

/** The digests once those without a key are replaced. */
export function keyedDigests(conversation: Digests, keyed: KeyDigest): DigestFields {
  return toFields(storedDigests(conversation, keyed));
}

function toFields(all: readonly [digest: string, n: number][]): DigestFields {
  return { digests: all.map(([digest]) => digest), digestRuns: all.map(([, n]) => n), known: [] };
}

/** Drops the digests of replaced runs first, then the oldest. */
function trimmed(all: [digest: string, n: number][], path: RunPath): [string, number][] {
  let excess = all.length - MAX_DIGESTS;
  if (excess <= 0) return all;
  const left = all.filter(([, n]) => isBefore(path, n) || excess-- <= 0);
  return left.slice(-MAX_DIGESTS);
}

function isBefore(path: RunPath, n: number): boolean {
  return n === -1 || isOnPath(path, n);
}
