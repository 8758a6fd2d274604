import { App } from "fresh";
import { chatSession } from "./chat-session.js";

/** Fresh answers every other method: OPTIONS with the allowed ones, the rest with 405. */
const app = new App().post("/chat-session", async ({ req, info }) => {
  const { remoteAddr } = info;
  const { status, headers, body } = await chatSession({
    origin: req.headers.get("origin"),
    address: "hostname" in remoteAddr ? remoteAddr.hostname : "",
    forwardedFor: req.headers.get("x-forwarded-for"),
  });
  return new Response(body, { status, headers });
});

const { PORT = "3000", HOST = "127.0.0.1" } = process.env;
if (import.meta.main) await app.listen({ port: Number(PORT), hostname: HOST });
