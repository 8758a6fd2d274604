/** What a value weighs in memory by itself: an object's header and its place in a map. */
const BASE_BYTES = 100;

/** About how many bytes a stored value takes in memory; cheap rather than exact. */
export function weigh(value: unknown): number {
  if (typeof value === "string") return BASE_BYTES + value.length * 2;
  if (value instanceof Uint8Array) return BASE_BYTES + value.length;
  if (typeof value !== "object" || value === null) return BASE_BYTES;
  // Long lists are of one kind here (times, ids), so the first speaks for all.
  if (Array.isArray(value) && typeof value[0] === "number") return BASE_BYTES + value.length * 8;
  return Object.values(value).reduce<number>((sum, part) => sum + weigh(part), BASE_BYTES);
}
