/** A parsed message. */
export interface ServerSentEventParsedMessage {
  comment?: string;
  event?: string;
  data?: string;
  id?: string;
  /** Milliseconds. */
  retry?: number;
}

export interface ServerSentEventParseStreamOptions {
  /** Leave comments out; a message of comments alone is then not passed on. Default: false. */
  ignoreComments?: boolean;
}

const NEWLINE = /\r\n|\r|\n/;

/**
 * Reads `text/event-stream` bytes, in chunks cut anywhere, into messages. A message that the end of
 * the stream cuts short is passed on as far as it was read.
 */
export class ServerSentEventParseStream
  extends TransformStream<Uint8Array, ServerSentEventParsedMessage> {
  constructor(
    { ignoreComments = false }: ServerSentEventParseStreamOptions = {},
  ) {
    const decoder = new TextDecoder();
    let rest = "";
    let message: ServerSentEventParsedMessage = {};

    function takeLines(
      lines: string[],
      controller: TransformStreamDefaultController<
        ServerSentEventParsedMessage
      >,
    ) {
      for (const line of lines) {
        if (line !== "") {
          readField(line, { message, ignoreComments });
        } else if (Object.keys(message).length > 0) {
          controller.enqueue(message);
          message = {};
        }
      }
    }

    super({
      transform(chunk, controller) {
        rest += decoder.decode(chunk, { stream: true });
        // A final CR may be part of a CRLF that continues in the next chunk.
        const cut = rest.endsWith("\r") ? rest.length - 1 : rest.length;
        const lines = rest.slice(0, cut).split(NEWLINE);
        rest = (lines.pop() ?? "") + rest.slice(cut);
        takeLines(lines, controller);
      },
      flush(controller) {
        takeLines(
          [...(rest + decoder.decode()).split(NEWLINE), ""],
          controller,
        );
      },
    });
  }
}

function readField(
  line: string,
  { message, ignoreComments }: {
    message: ServerSentEventParsedMessage;
    ignoreComments: boolean;
  },
): void {
  const colon = line.indexOf(":");
  const name = colon < 0 ? line : line.slice(0, colon);
  const raw = colon < 0 ? "" : line.slice(colon + 1);
  // One space after the colon is decoration, except in a comment, which is passed on as it is.
  const value = name !== "" && raw.startsWith(" ") ? raw.slice(1) : raw;
  switch (name) {
    case "":
      if (!ignoreComments) message.comment = appendLine(message.comment, value);
      break;
    case "data":
      message.data = appendLine(message.data, value);
      break;
    case "event":
      message.event = value;
      break;
    case "id":
      if (!value.includes("\0")) message.id = value;
      break;
    case "retry":
      if (/^\d+$/.test(value)) message.retry = Number(value);
      break;
  }
}

function appendLine(before: string | undefined, line: string): string {
  return before === undefined ? line : `${before}\n${line}`;
}
