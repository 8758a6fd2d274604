/** An event of a hand-off's feed: docs/protocol.md. */
export interface FeedEvent {
  /** "" for events that are not stored. */
  readonly id: string;
  readonly type: string;
  readonly text?: string;
  readonly person?: string;
}

/** The events of a poll's response, which is complete. */
export function readFeed(response: string): FeedEvent[] {
  return response.split("\n\n").flatMap((event) => {
    const lines = event.split("\n");
    const valueOf = (name: string) =>
      lines.find((line) => line.startsWith(name))?.slice(name.length);
    const data = valueOf("data: ");
    return data ? { ...JSON.parse(data), id: valueOf("id: ") ?? "" } : [];
  });
}
