/** Below the ephemeral ports, so that the system does not assign this one to another process. */
const FROM = 20_000;
const TO = 32_000;

/** A free loopback port, for a program that needs a fixed one. */
export function freePort(): number {
  while (true) {
    const port = FROM + Math.floor(Math.random() * (TO - FROM));
    try {
      Deno.listen({ port, hostname: "127.0.0.1" }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
