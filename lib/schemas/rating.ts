/** Without zod, for use in browsers. */
export const RATINGS = ["up", "down"] as const;
export type Rating = typeof RATINGS[number];
