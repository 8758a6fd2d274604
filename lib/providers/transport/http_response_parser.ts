/** Status and headers of a response; header names are lower case. */
export interface ResponseHead {
  status: number;
  headers: Readonly<Record<string, string>>;
}

export interface ResponseParserListener {
  onHead(head: ResponseHead): void;
  /** The body's bytes of one read; valid only during the call, because the buffer is used again. */
  onBody(bytes: Uint8Array): void;
  /** The response is complete. */
  onEnd(): void;
}

/** Bytes that are not an HTTP/1.1 response. */
export class InvalidResponseError extends Error {
  override name = "InvalidResponseError";
}

/** Limit for status line and headers, or for trailers, in bytes. */
const MAX_HEAD_BYTES = 65_536;
/** Limit for a chunk's size with its extensions, in characters. */
const MAX_SIZE_LINE = 1_024;

const CR = 13;
const LF = 10;

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: [\t\x20-\x7e\x80-\uffff]*)?$/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t\x20-\x7e\x80-\uffff]*?)[\t ]*$/;
const CHUNK_SIZE = /^([0-9a-fA-F]{1,8})[\t ]*(?:;[\t\x20-\x7e\x80-\uffff]*)?$/;

const latin1 = new TextDecoder("latin1");

type State = "line" | "length" | "close" | "chunk" | "end";

/** What the next line is, in state `line`. */
type LineKind = "status" | "header" | "size" | "afterChunk" | "trailer";

/**
 * Parses one HTTP/1.1 response from bytes as they arrive. Strict: whatever two readers could understand
 * differently (a bare line feed, a folded header, two lengths) is an `InvalidResponseError`, because the
 * rest of it would be read as the next response on this connection.
 */
export class HttpResponseParser {
  readonly #listener: ResponseParserListener;
  #state: State = "line";
  #lineKind: LineKind = "status";
  /** The start of a line whose end has not arrived. */
  #line = "";
  /** Bytes of the current head or trailers. */
  #headBytes = 0;
  #status = 0;
  #headers: Record<string, string> = Object.create(null);
  #isHttp10 = false;
  /** Bytes left of the body or of the current chunk. */
  #left = 0;
  #hasTrailingBytes = false;
  /** Where the joined body of the current read begins and ends. */
  #bodyStart = 0;
  #bodyEnd = 0;

  constructor(listener: ResponseParserListener) {
    this.#listener = listener;
  }

  get isComplete(): boolean {
    return this.#state === "end";
  }

  /** Whether the connection can carry another request after the complete response. */
  get isReusable(): boolean {
    return this.isComplete && !this.#isHttp10 && !this.#hasTrailingBytes && this.#left === 0 &&
      !/\bclose\b/i.test(this.#headers["connection"] ?? "");
  }

  /** Parses the bytes of one read. May move the body's parts within `bytes` to join them. */
  feed(bytes: Uint8Array): void {
    this.#bodyStart = this.#bodyEnd = 0;
    let at = 0;
    try {
      while (at < bytes.byteLength && this.#state !== "end") {
        at = this.#state === "line" ? this.#feedLine(bytes, at) : this.#feedBody(bytes, at);
      }
    } finally {
      this.#deliver(bytes);
    }
    this.#hasTrailingBytes ||= at < bytes.byteLength;
    if (this.isComplete) this.#listener.onEnd();
  }

  /** The connection has ended. Throws unless the response is complete with that. */
  feedEnd(): void {
    if (this.#state === "end") return;
    if (this.#state !== "close") throw new InvalidResponseError("the response is incomplete");
    this.#state = "end";
    // Nothing can follow.
    this.#hasTrailingBytes = true;
    this.#listener.onEnd();
  }

  #feedLine(bytes: Uint8Array, start: number): number {
    const lineFeed = bytes.indexOf(LF, start);
    const end = lineFeed === -1 ? bytes.byteLength : lineFeed;
    this.#countLine(end - start + 1);
    this.#line += latin1.decode(bytes.subarray(start, end));
    if (lineFeed === -1) return end;
    const line = this.#line;
    this.#line = "";
    if (line.charCodeAt(line.length - 1) !== CR) throw invalid("a line without a carriage return");
    this.#onLine(line.slice(0, -1));
    return lineFeed + 1;
  }

  #countLine(bytes: number): void {
    if (this.#lineKind === "size" || this.#lineKind === "afterChunk") {
      if (this.#line.length + bytes > MAX_SIZE_LINE) throw invalid("a chunk size that is too long");
      return;
    }
    this.#headBytes += bytes;
    if (this.#headBytes > MAX_HEAD_BYTES) throw invalid("headers that are too long");
  }

  #onLine(line: string): void {
    switch (this.#lineKind) {
      case "status":
        return this.#onStatusLine(line);
      case "header":
        return line === "" ? this.#onHead() : this.#onHeader(line);
      case "size":
        return this.#onChunkSize(line);
      case "afterChunk":
        if (line !== "") throw invalid("a chunk longer than its size");
        this.#lineKind = "size";
        return;
      case "trailer":
        if (line === "") this.#state = "end";
        else if (!HEADER_LINE.test(line)) throw invalid("a trailer");
        return;
    }
  }

  #onStatusLine(line: string): void {
    const [, minor, status] = STATUS_LINE.exec(line) ?? [];
    if (status === undefined) throw invalid("the status line");
    this.#isHttp10 = minor === "0";
    this.#status = Number(status);
    this.#headers = Object.create(null);
    this.#lineKind = "header";
  }

  #onHeader(line: string): void {
    const [, name, value] = HEADER_LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) throw invalid("a header");
    const key = name.toLowerCase();
    const earlier = this.#headers[key];
    if (key === "content-length" && earlier !== undefined) throw invalid("two lengths");
    this.#headers[key] = earlier === undefined ? value : `${earlier}, ${value}`;
  }

  #onHead(): void {
    const status = this.#status;
    if (status === 101) throw invalid("another protocol");
    // An informational response precedes the real one.
    if (status < 200) {
      this.#lineKind = "status";
      return;
    }
    this.#headBytes = 0;
    this.#chooseBody(status);
    this.#listener.onHead({ status, headers: this.#headers });
  }

  #chooseBody(status: number): void {
    const { "content-length": length, "transfer-encoding": coding } = this.#headers;
    if (length !== undefined && coding !== undefined) throw invalid("two lengths");
    if (coding !== undefined && coding.toLowerCase() !== "chunked") throw invalid("the coding");
    if (length !== undefined && !/^\d{1,15}$/.test(length)) throw invalid("the length");
    if (status === 204 || status === 304) {
      this.#state = "end";
    } else if (coding !== undefined) {
      this.#lineKind = "size";
    } else if (length === undefined) {
      this.#state = "close";
    } else {
      this.#left = Number(length);
      this.#state = this.#left === 0 ? "end" : "length";
    }
  }

  #onChunkSize(line: string): void {
    const size = CHUNK_SIZE.exec(line)?.[1];
    if (size === undefined) throw invalid("a chunk size");
    this.#left = parseInt(size, 16);
    if (this.#left === 0) {
      this.#lineKind = "trailer";
      return;
    }
    this.#state = "chunk";
  }

  #feedBody(bytes: Uint8Array, start: number): number {
    const isBounded = this.#state !== "close";
    const available = bytes.byteLength - start;
    const end = start + (isBounded ? Math.min(this.#left, available) : available);
    this.#addBody(bytes, start, end);
    if (!isBounded) return end;
    this.#left -= end - start;
    if (this.#left > 0) return end;
    if (this.#state === "length") {
      this.#state = "end";
    } else {
      this.#state = "line";
      this.#lineKind = "afterChunk";
    }
    return end;
  }

  /** Moves a part to the end of the parts before it, over the chunk sizes in between. */
  #addBody(bytes: Uint8Array, start: number, end: number): void {
    if (this.#bodyEnd === this.#bodyStart) {
      this.#bodyStart = start;
      this.#bodyEnd = end;
      return;
    }
    if (start !== this.#bodyEnd) bytes.copyWithin(this.#bodyEnd, start, end);
    this.#bodyEnd += end - start;
  }

  #deliver(bytes: Uint8Array): void {
    if (this.#bodyEnd === this.#bodyStart) return;
    this.#listener.onBody(bytes.subarray(this.#bodyStart, this.#bodyEnd));
  }
}

function invalid(what: string): InvalidResponseError {
  return new InvalidResponseError(`the response is not valid HTTP/1.1: ${what}`);
}
