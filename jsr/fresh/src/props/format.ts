/**
 * The form in which island props travel: a JSON array of nodes, the first being the root. A node is a
 * string, number or boolean, or `[tag, ...]`; references are node indexes, or one of the negative
 * numbers below. Nodes are shared, so repeated and cyclic values keep their identity.
 */
export const SPECIAL = {
  undefined: -1,
  null: -2,
  NaN: -3,
  Infinity: -4,
  "-Infinity": -5,
  "-0": -6,
  hole: -7,
} as const;

export type Tag =
  | "array"
  | "bigint"
  | "bytes"
  | "computed"
  | "date"
  | "map"
  | "object"
  | "regexp"
  | "set"
  | "signal"
  | "slot"
  | "url";

/** Content that the server rendered for an island, to be found by its id. */
export interface SlotRef {
  id: number;
  name: string;
}
