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
  return [...response.matchAll(/(?:^id: (.+)\n)?event: .+\ndata: (.+)/gm)]
    .map(([, id = "", data]) => ({ ...JSON.parse(data!), id }));
}
