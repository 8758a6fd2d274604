/** Words of the asynchronous Python client, and what the synchronous one says instead. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /"""The asynchronous client[^"]*"""/,
    '"""The synchronous client, written from ``_async.py``."""',
  ],
  [/^import asyncio$/m, "import time"],
  [/await asyncio\.sleep/g, "time.sleep"],
  [/\basync (def|with|for)\b/g, "$1"],
  [/\bawait /g, ""],
  [/\bAsyncIterator\b/g, "Iterator"],
  [/\b__aenter__\b/g, "__enter__"],
  [/\b__aexit__\b/g, "__exit__"],
  [/\b__aiter__\b/g, "__iter__"],
  [/\baclose\b/g, "close"],
  [/\baread\b/g, "read"],
  [/\baiter_bytes\b/g, "iter_bytes"],
  [/\bhttpx\.AsyncClient\b/g, "httpx.Client"],
  [/\bAsync([A-Z]\w*)/g, "$1"],
];

/** The synchronous client, from the source of the asynchronous one. */
export function syncClient(source: string): string {
  return WORDS.reduce(
    (text, [word, instead]) =>
      text.replaceAll(
        new RegExp(word, word.flags.includes("g") ? word.flags : `${word.flags}g`),
        instead,
      ),
    source,
  );
}
