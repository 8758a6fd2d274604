/** A raw HTTP request. */
export interface RawRequest {
  method: string;
  path: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** Collects the bytes of a connection and parses requests. */
export class RequestReader {
  #bytes = new Uint8Array();

  feed(chunk: Uint8Array): void {
    const joined = new Uint8Array(this.#bytes.length + chunk.length);
    joined.set(this.#bytes);
    joined.set(chunk, this.#bytes.length);
    this.#bytes = joined;
  }

  /** The next complete request. */
  take(): RawRequest | undefined {
    const head = endOfHead(this.#bytes);
    if (head === -1) return undefined;
    const [first = "", ...lines] = decode(this.#bytes.subarray(0, head)).split("\r\n");
    const headers = Object.fromEntries(lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }));
    const start = head + 4;
    const end = start + Number(headers["content-length"] ?? 0);
    if (this.#bytes.length < end) return undefined;
    const [method = "", path = ""] = first.split(" ");
    const body = decode(this.#bytes.subarray(start, end));
    this.#bytes = this.#bytes.slice(end);
    return { method, path, headers, body };
  }
}

function endOfHead(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(13); at !== -1; at = bytes.indexOf(13, at + 1)) {
    if (bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at;
  }
  return -1;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
