/** A raw event stream, including the comments and pauses that a parser would hide. */
export class SseText implements AsyncDisposable {
  readonly #reader: ReadableStreamDefaultReader<string>;
  text = "";

  constructor(response: Response) {
    this.#reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Reads until the text contains `words`. */
  async until(words: string): Promise<void> {
    while (!this.text.includes(words)) {
      const { done, value } = await this.#reader.read();
      if (done) throw new Error(`the stream ended without ${words}: ${this.text}`);
      this.text += value;
    }
  }

  /** The types of the frames so far. */
  get events(): string[] {
    return [...this.text.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name!);
  }

  /** The data of the first frame of a type. */
  // deno-lint-ignore no-explicit-any -- a test looks into what came
  frame(type: string): any {
    const data = this.text.match(/^data: .*$/gm) ?? [];
    return data.map((line) => JSON.parse(line.slice(6))).find((frame) => frame.type === type);
  }

  /** Disconnects like a closed page. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel();
  }
}
