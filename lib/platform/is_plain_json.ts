/** Whether a value is the same after it was written as JSON and read again; fields may be undefined. */
export function isPlainJson(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return typeof value === "string" || typeof value === "boolean";
  if (Array.isArray(value)) return value.every(isPlainJson);
  return Object.getPrototypeOf(value) === Object.prototype &&
    Object.values(value).every(isPlainJson);
}
