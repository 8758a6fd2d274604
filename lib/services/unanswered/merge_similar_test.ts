import { assertEquals } from "@std/assert";
import { SeededRandom } from "@/tests/support/fuzz/seeded_random.ts";
import { mergeSimilar } from "./merge_similar.ts";

const SIZE = 64;

/** Vectors of length 1 around `shift` in all directions, as models make them. */
function vectorsAround(shift: number, seed = 1) {
  const dice = new SeededRandom(seed);
  const random = () => Float32Array.from({ length: SIZE }, () => shift + dice.number(-1, 1));
  const unit = (vector: Float32Array) => {
    const length = Math.hypot(...vector);
    return vector.map((one) => one / length);
  };
  /** Another wording of the same. */
  const like = (vector: Float32Array) => unit(vector.map((one) => one + dice.number(-0.04, 0.04)));
  return { any: () => unit(random()), like };
}

for (const shift of [0, 0.6]) {
  Deno.test(`mergeSimilar: merges what is unusually similar, however similar the rest is (${shift})`, () => {
    const { any, like } = vectorsAround(shift);
    const others = Array.from({ length: 20 }, any);
    const [a, b] = [any(), any()];
    const vectors = [a, b, ...others, like(a), like(b), like(a)];
    const merged = mergeSimilar(vectors).filter(({ length }) => length > 1);
    assertEquals(merged, [[0, 22, 24], [1, 23]]);
  });
}

Deno.test("mergeSimilar: unrelated vectors stay apart, and so do few", () => {
  const { any, like } = vectorsAround(0.6, 3);
  const vectors = Array.from({ length: 150 }, any);
  assertEquals(mergeSimilar(vectors).length, 150);
  assertEquals(mergeSimilar([]), []);
  const [one] = vectors;
  assertEquals(mergeSimilar([one!, like(one!), any()]), [[0], [1], [2]]);
});

Deno.test("mergeSimilar: a chain of similar ones is not one group", () => {
  const { any } = vectorsAround(0);
  // Each is 30 degrees from the next, all in one plane.
  const chain = Array.from({ length: 6 }, (_, n) => {
    const angle = n * Math.PI / 6;
    const vector = new Float32Array(SIZE);
    vector.set([Math.cos(angle), Math.sin(angle)]);
    return vector;
  });
  const groups = mergeSimilar([...chain, ...Array.from({ length: 30 }, any)]);
  assertEquals(
    groups.filter((group) => group.some((n) => n < 6)).every(({ length }) => length < 4),
    true,
  );
});
