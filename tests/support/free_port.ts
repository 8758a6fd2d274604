/** Below the ports that systems give to whoever asks for any, so that nobody is given this one first. */
const FROM = 20_000;
const TO = 32_000;

/** A port of loopback for a program that must be told where to listen. */
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
