import express from "express";
import { chatSession } from "./chat-session.js";

const app = express();
app.disable("x-powered-by");

app.route("/chat-session")
  .post(async (req, res) => {
    const { status, headers, body } = await chatSession({
      origin: req.get("origin"),
      address: req.socket.remoteAddress,
      forwardedFor: req.get("x-forwarded-for"),
    });
    res.status(status).set(headers).send(body);
  })
  .all((_req, res) => res.status(405).set("allow", "POST").json({}));

const { PORT = "3000", HOST = "127.0.0.1" } = process.env;
const server = app.listen(Number(PORT), HOST, (error) => {
  if (error) throw error;
  console.log(`listening on http://${HOST}:${server.address().port}`);
});
