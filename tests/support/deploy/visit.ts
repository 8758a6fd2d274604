import { assertEquals } from "@std/assert";
import { AuthenticatorApp } from "../second_factor.ts";
import { agentBody } from "../service.ts";
import { say } from "../widget_calls.ts";
import { SETTINGS } from "./platform.ts";

const ACCOUNT = { email: "owner@example.com", password: "correct horse battery" };
/** The allowed origin of the agents. */
const PAGE = "https://shop.example.com";

/** An operator, a backend and a widget visitor of a deployed service. */
export class Visit {
  readonly #base: string;
  #cookie = "";
  #key = "";

  /** `key` is an API key of an earlier visit. */
  constructor(base: string, key = "") {
    this.#base = base;
    this.#key = key;
  }

  get key(): string {
    return this.#key;
  }

  /** A page, signed in or not. */
  page(path: string, { stranger = false } = {}): Promise<Response> {
    const headers = { cookie: stranger ? "" : this.#cookie };
    return fetch(this.#base + path, { headers, redirect: "manual" });
  }

  /** Submits a form and stores the cookie of the response. */
  async form(path: string, fields: Record<string, string>): Promise<Response> {
    const answer = await fetch(this.#base + path, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { cookie: this.#cookie, origin: SETTINGS.PUBLIC_URL },
      redirect: "manual",
    });
    const [cookie] = answer.headers.getSetCookie();
    if (cookie !== undefined) this.#cookie = cookie.split(";")[0]!;
    return answer;
  }

  /** The first visit to an empty dashboard, where an operator needs a second factor. */
  async setUp(): Promise<void> {
    const answer = await this.form("/setup", { token: SETTINGS.SETUP_TOKEN, ...ACCOUNT });
    await answer.body?.cancel();
    assertEquals(answer.status, 303);
    const html = await (await this.page("/account/factors/app")).text();
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(html)![1]!;
    const [secret, proof] = [field("secret"), field("proof")];
    const code = new AuthenticatorApp(secret).code(Date.now());
    const added = await this.form("/account/factors/app", { secret, proof, code });
    await added.body?.cancel();
    assertEquals(added.status, 201);
  }

  /** Creates an API key with all scopes, through the form. */
  async makeKey(): Promise<void> {
    const html = await (await this.page("/api-keys/new")).text();
    const once = /name="once" value="([^"]+)"/.exec(html)?.[1] ?? "";
    const form = new URLSearchParams({ name: "backend", once });
    for (const scope of ["agents:write", "knowledge:write", "widget:mint"]) {
      form.append("scopes", scope);
    }
    const answer = await fetch(`${this.#base}/api-keys/new`, {
      method: "POST",
      body: form,
      headers: { cookie: this.#cookie, origin: SETTINGS.PUBLIC_URL },
    });
    const text = await answer.text();
    assertEquals(answer.status, 201);
    this.#key = /ck_live_[0-9A-Za-z_]+/.exec(text)![0];
  }

  /** A request of the backend. */
  api(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.#base + path, {
      ...body !== undefined && { method: "POST", body: JSON.stringify(body) },
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...body !== undefined && { "content-type": "application/json" },
        ...headers,
      },
    });
  }

  /** Creates an agent and returns its id. */
  async agent(model: string): Promise<string> {
    const modelPolicy = { provider: "vendor_a", model };
    const body = { ...agentBody(), modelPolicy, allowedOrigins: [PAGE] };
    const answer = await this.api("/v1/agents", body);
    const { id } = await answer.json();
    assertEquals(answer.status, 201);
    return id;
  }

  chat(agentId: string): Promise<Response> {
    return this.api("/v1/chat/stream", { agentId, messages: [say("Hello")] });
  }

  /** A visitor's session, and its first message. */
  async widgetChat(agentId: string): Promise<Response> {
    const minted = await this.api("/v1/widget/session", { agentId }, { origin: PAGE });
    assertEquals(minted.status, 201);
    const { sessionToken } = await minted.json();
    return await fetch(`${this.#base}/v1/chat/stream`, {
      method: "POST",
      body: JSON.stringify({ agentId, sessionToken, messages: [say("Hello")] }),
      headers: {
        "content-type": "application/json",
        "x-service-session": sessionToken,
        origin: PAGE,
      },
    });
  }

  /** Creates a knowledge base and returns its path. */
  async knowledgeBase(): Promise<string> {
    const answer = await this.api("/v1/knowledge-bases", { name: "Shop" });
    assertEquals(answer.status, 201);
    return `/v1/knowledge-bases/${(await answer.json()).id}`;
  }

  /** Uploads a file through the form. */
  upload(base: string, file: File): Promise<Response> {
    const body = new FormData();
    body.set("file", file);
    const headers = { authorization: `Bearer ${this.#key}` };
    return fetch(`${this.#base}${base}/documents`, { method: "POST", body, headers });
  }

  /** A document, once it is processed or has failed. */
  // deno-lint-ignore no-explicit-any -- a test looks into whatever was answered
  async processed(base: string, sent: Response): Promise<any> {
    const { id } = await sent.json();
    while (true) {
      const document = await (await this.api(`${base}/documents/${id}`)).json();
      if (document.state !== "processing") return document;
    }
  }
}
