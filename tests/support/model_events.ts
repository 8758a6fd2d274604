import type { ModelEvent, ModelStream } from "@/lib/providers/model.ts";

/** All events of a stream; rejects if it breaks. */
export async function eventsOf(stream: ModelStream): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  await stream.read((event) => events.push(event));
  return events;
}

/** Reads a stream event by event: each call resolves with the next one, or `undefined` after the last. */
export function oneByOne(stream: ModelStream): () => Promise<ModelEvent | undefined> {
  const events: ModelEvent[] = [];
  let wake = () => {};
  let ended = false;
  const finished = stream.read((event) => {
    events.push(event);
    wake();
  }).finally(() => {
    ended = true;
    wake();
  });
  finished.catch(() => {});
  return async () => {
    while (events.length === 0 && !ended) await new Promise<void>((resolve) => wake = resolve);
    if (events.length === 0) await finished;
    return events.shift();
  };
}

/** A stream of these events; it breaks if the iteration throws. */
export function streamOf(events: AsyncIterable<ModelEvent>): ModelStream {
  return {
    read: async (onEvent) => {
      for await (const event of events) onEvent(event);
    },
  };
}
