import { serve } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { Hono } from "hono";
import { chatSession } from "./chat-session.js";

const app = new Hono();

app.post("/chat-session", async (c) => {
  const { status, headers, body } = await chatSession({
    origin: c.req.header("origin"),
    address: getConnInfo(c).remote.address,
    forwardedFor: c.req.header("x-forwarded-for"),
  });
  return c.body(body, status, headers);
});
app.all("/chat-session", (c) => c.json({}, 405, { allow: "POST" }));

const { PORT = "3000", HOST = "127.0.0.1" } = process.env;
serve({ fetch: app.fetch, port: Number(PORT), hostname: HOST }, ({ port }) => {
  console.log(`listening on http://${HOST}:${port}`);
});
