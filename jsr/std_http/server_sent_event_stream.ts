/** One message of an event stream; a field that is absent is not written. */
export interface ServerSentEventMessage {
  /** Ignored by clients; keeps an idle connection open. */
  comment?: string;
  /** The event's name; one line. */
  event?: string;
  /** Each of its lines becomes a `data:` line. */
  data?: string;
  /** What a client sends back as `Last-Event-ID`; one line. */
  id?: string | number;
  /** Milliseconds until a client reconnects. */
  retry?: number;
}

const NEWLINE = /\r\n|\r|\n/;

/**
 * Writes messages as UTF-8 `text/event-stream` bytes, fields in the order comment, event, data, id,
 * retry. A newline in `event` or `id` fails the stream with a SyntaxError: it would let the value
 * forge further fields.
 */
export class ServerSentEventStream extends TransformStream<ServerSentEventMessage, Uint8Array> {
  constructor() {
    const encoder = new TextEncoder();
    super({
      transform(message, controller) {
        controller.enqueue(encoder.encode(serialize(message)));
      },
    });
  }
}

function serialize(
  { comment, event, data, id, retry }: ServerSentEventMessage,
): string {
  const lines: string[] = [];
  if (comment !== undefined) lines.push(...fields("", comment));
  if (event !== undefined) lines.push(`event:${singleLine("event", event)}`);
  if (data !== undefined) lines.push(...fields("data", data));
  if (id !== undefined) lines.push(`id:${singleLine("id", String(id))}`);
  if (retry !== undefined) lines.push(`retry:${retry}`);
  return `${lines.join("\n")}\n\n`;
}

function fields(name: string, value: string): string[] {
  return value.split(NEWLINE).map((line) => `${name}:${line}`);
}

function singleLine(name: string, value: string): string {
  if (!NEWLINE.test(value)) return value;
  throw new SyntaxError(
    `Cannot serialize message: \`message.${name}\` cannot contain a newline`,
  );
}
