import { ImageError } from "./image_error.ts";

/** Reads a file from its beginning to its end. Throws `ImageError` if it ends too early. */
export class ByteReader {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get at(): number {
    return this.#at;
  }

  get remaining(): number {
    return this.bytes.length - this.#at;
  }

  /** The next `count` bytes, without a copy. */
  take(count: number): Uint8Array {
    const from = this.#advance(count);
    return this.bytes.subarray(from, from + count);
  }

  skipTo(at: number): void {
    this.#advance(at - this.#at);
  }

  uint8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  uint16({ littleEndian = false } = {}): number {
    return this.#view.getUint16(this.#advance(2), littleEndian);
  }

  uint24({ littleEndian = false } = {}): number {
    const [a = 0, b = 0, c = 0] = this.take(3);
    return littleEndian ? a | b << 8 | c << 16 : a << 16 | b << 8 | c;
  }

  uint32({ littleEndian = false } = {}): number {
    return this.#view.getUint32(this.#advance(4), littleEndian);
  }

  /** The next `count` bytes as text, one character each. */
  text(count: number): string {
    return String.fromCharCode(...this.take(count));
  }

  /** Throws unless everything was read. */
  expectEnd(): void {
    if (this.remaining > 0) throw new ImageError("has data after its end");
  }

  #advance(count: number): number {
    if (count < 0 || count > this.remaining) throw new ImageError("is cut short");
    const from = this.#at;
    this.#at += count;
    return from;
  }
}
