import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { VectorMatrix } from "./vector_matrix.ts";

const VECTORS = [[3, 4], [0, -0.001], [1, 0], [0, 0]];

Deno.test("VectorMatrix: similarities do not depend on the lengths of vectors", () => {
  const near = VectorMatrix.fromVectors(VECTORS).similarities(Float32Array.of(0, 1));
  assertAlmostEquals(near[0]!, 0.8, 0.01);
  assertAlmostEquals(near[1]!, -1, 0.01);
  assertEquals([near[2], near[3]], [0, 0]);
});

Deno.test("VectorMatrix: round-trips through bytes, one per component", () => {
  const matrix = VectorMatrix.fromVectors(VECTORS);
  const bytes = matrix.toBytes();
  assertEquals(bytes.length, 4 + 8);
  const back = VectorMatrix.fromBytes(bytes, { rows: 4 })!;
  assertEquals([back.dimensions, back.rows], [2, 4]);
  const query = Float32Array.of(0.5, -2);
  assertEquals(back.similarities(query), matrix.similarities(query));
});

Deno.test("VectorMatrix: bytes of a wrong length are rejected", () => {
  const bytes = VectorMatrix.fromVectors(VECTORS).toBytes();
  assertEquals(VectorMatrix.fromBytes(bytes, { rows: 5 }), undefined);
  assertEquals(VectorMatrix.fromBytes(bytes.slice(0, -1), { rows: 4 }), undefined);
  assertEquals(VectorMatrix.fromBytes(new Uint8Array(0), { rows: 0 }), undefined);
  assertEquals(VectorMatrix.fromBytes(new Uint8Array(4), { rows: 0 }), undefined);
});

Deno.test("VectorMatrix: one byte per component distinguishes close directions", () => {
  const vector = (turn: number) => Array.from({ length: 256 }, (_, n) => Math.sin(n * 7 + turn));
  const matrix = VectorMatrix.fromVectors([vector(0), vector(0.1), vector(0.2)]);
  const [first, second, third] = matrix.similarities(Float32Array.from(vector(0)));
  assert(first! > second! && second! > third!);
});
