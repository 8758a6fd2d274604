/** One thing said. */
export interface TranscriptMessage {
  /** Unique within the tab: the key of its element. */
  readonly id: number;
  readonly role: "user" | "assistant";
  text: string;
  /** The answer is not whole: the visitor stopped it, or something else did. */
  partial?: boolean;
  /** Titles of the documents it was answered from; on the question until there is an answer. */
  sources?: string[] | undefined;
}
