/**
 * The image's health check: fails unless the service in this container answers `/healthz`. That path
 * says that the process lives, whatever its store does, because restarting does not help a store.
 */
const port = Deno.env.get("PORT") || "8000";
const response = await fetch(`http://127.0.0.1:${port}/healthz`, {
  signal: AbortSignal.timeout(4_000),
}).catch(() => undefined);
if (response?.status !== 200) {
  console.error(response === undefined ? "no answer" : `answered ${response.status}`);
  Deno.exit(1);
}
