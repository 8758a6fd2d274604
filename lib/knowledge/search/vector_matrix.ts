const HEADER_BYTES = 4;
const MAX_COMPONENT = 127;

/**
 * The vectors of a document's passages, one byte per component: as accurate for directions as four
 * bytes, at a quarter of the memory.
 */
export class VectorMatrix {
  readonly dimensions: number;
  readonly #values: Int8Array;
  readonly #lengths: Float32Array;

  private constructor(dimensions: number, values: Int8Array) {
    this.dimensions = dimensions;
    this.#values = values;
    this.#lengths = new Float32Array(values.length / dimensions);
    for (let row = 0; row < this.#lengths.length; row++) {
      let sum = 0;
      for (let n = row * dimensions; n < (row + 1) * dimensions; n++) sum += values[n]! ** 2;
      this.#lengths[row] = Math.sqrt(sum) || 1;
    }
  }

  /** At least one vector; all have the same number of dimensions. */
  static fromVectors(vectors: readonly (readonly number[])[]): VectorMatrix {
    const dimensions = vectors[0]!.length;
    const values = new Int8Array(vectors.length * dimensions);
    for (const [row, vector] of vectors.entries()) {
      const scale = MAX_COMPONENT / (Math.max(...vector.map(Math.abs)) || 1);
      values.set(vector.map((value) => Math.round(value * scale)), row * dimensions);
    }
    return new VectorMatrix(dimensions, values);
  }

  /** Parses the result of `toBytes`; `undefined` if it does not hold `rows` vectors. */
  static fromBytes(bytes: Uint8Array, { rows }: { rows: number }): VectorMatrix | undefined {
    if (bytes.length < HEADER_BYTES) return undefined;
    const dimensions = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
    if (dimensions === 0 || bytes.length !== HEADER_BYTES + rows * dimensions) return undefined;
    return new VectorMatrix(dimensions, new Int8Array(bytes.slice(HEADER_BYTES).buffer));
  }

  toBytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(HEADER_BYTES + this.#values.length);
    new DataView(bytes.buffer).setUint32(0, this.dimensions);
    bytes.set(new Uint8Array(this.#values.buffer), HEADER_BYTES);
    return bytes;
  }

  get rows(): number {
    return this.#lengths.length;
  }

  get bytes(): number {
    return this.#values.byteLength + this.#lengths.byteLength;
  }

  /** By passage: its cosine similarity to `query`, times the length of `query`. */
  similarities(query: Float32Array): Float32Array {
    const similarities = new Float32Array(this.rows);
    const values = this.#values;
    for (let row = 0, at = 0; row < similarities.length; row++) {
      let sum = 0;
      for (let n = 0; n < query.length; n++) sum += query[n]! * values[at++]!;
      similarities[row] = sum / this.#lengths[row]!;
    }
    return similarities;
  }
}
