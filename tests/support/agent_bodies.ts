import { agentBody } from "./service.ts";

/** A valid tool if `api.example.com` is an allowed domain. */
export function httpTool(change: Record<string, unknown> = {}) {
  return {
    type: "http",
    name: "lookup",
    description: "Looks something up.",
    parameters: { type: "object", properties: { q: { type: "string" } } },
    request: { method: "GET", url: "https://api.example.com/items", query: { q: "{{q}}" } },
    ...change,
  };
}

/** An agent with every optional field but the knowledge base, which must exist. */
export function fullAgentBody() {
  return {
    ...agentBody(),
    modelPolicy: {
      ...{ provider: "vendor_a", model: "demo", temperature: 0.5, maxOutputTokens: 512 },
      ...{ reasoningEffort: "low", topP: 0.9, stopSequences: ["END", "\n\nVisitor:"] },
    },
    fallback: { provider: "vendor_b", model: "demo" },
    tools: [httpTool({ progress: "Looking it up…" })],
    allowedDomains: ["api.example.com", "*.example.org:8443"],
    allowedOrigins: ["https://shop.example.com", "http://localhost:3000"],
    appearance: {
      title: "Shop help",
      avatar: "🦊",
      logo: `data:image/png;base64,${btoa("\x89PNG\r\n\x1a\nlogo")}`,
      accent: "#5b3fc4",
      theme: "dark",
      position: "left",
      feedback: "off",
      wide: "off",
      sound: "on",
      limits: "on",
      voice: "off",
      history: "off",
      greeting: "Hello!",
      suggestions: ["Where is my order?"],
      lang: "de",
      privacyText: "Stored for 30 days.",
      privacyUrl: "https://shop.example.com/privacy",
    },
    handoff: {
      enabled: true,
      by: ["model", "visitor"],
      message: "A colleague will answer soon.",
      businessHours: {
        timeZone: "Europe/Berlin",
        week: [{ day: "thu", from: "08:00", to: "24:00" }],
      },
      answerWithinMinutes: 10,
      form: true,
    },
    guardrails: {
      input: {
        personalData: { kinds: ["card", "iban"], action: "mask" },
        classifier: {
          provider: "vendor_a",
          model: "demo",
          policy: "No insults.",
          action: "hand_off",
          failClosed: true,
        },
      },
      output: {
        denyWords: { words: ["secret", "launch code"], action: "block" },
        message: "Please ask the shop.",
      },
    },
    followUps: true,
    memory: { enabled: true, instructions: "Preferences for deliveries." },
    responseSchema: { type: "object", properties: { answer: { type: "string" } } },
  };
}
