/** What the outside world gives a process, in one injectable place so that tests decide it. */
export interface System {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A random UUID. */
  uuid(): string;
  /** `n` cryptographically random bytes. */
  randomBytes(n: number): Uint8Array<ArrayBuffer>;
}

export const realSystem: System = {
  now: () => Date.now(),
  uuid: () => crypto.randomUUID(),
  randomBytes: (n) => crypto.getRandomValues(new Uint8Array(n)),
};

/** ISO 8601 UTC of a time in milliseconds. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
