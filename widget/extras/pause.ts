/** Different for each visitor, so that they do not come back at once. */
export function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1_000 * seconds * (1 + Math.random())));
}
