import { msg } from "../texts/translate.ts";
import type { AgentFormValues } from "./agent_form.ts";

export interface AgentTemplate {
  id: string;
  title: string;
  text: string;
  values: Partial<AgentFormValues>;
}

const ORDER_TOOL = {
  type: "http",
  name: "order_status",
  description: "Looks up where an order is. Use it whenever an order number is given.",
  parameters: {
    type: "object",
    properties: { order: { type: "string", description: "The order number." } },
    required: ["order"],
  },
  request: {
    method: "GET",
    url: "https://api.example.com/orders/{{order}}",
    headers: { authorization: "Bearer {{secret.SHOP_API}}" },
  },
};

const BOOKING_TOOLS = [
  {
    type: "http",
    name: "free_slots",
    description: "Lists the free times of a day.",
    parameters: {
      type: "object",
      properties: { day: { type: "string", description: "The day, as YYYY-MM-DD." } },
      required: ["day"],
    },
    request: { method: "GET", url: "https://api.example.com/slots", query: { day: "{{day}}" } },
  },
  {
    type: "http",
    name: "book_slot",
    description: "Books a free time. Only after the visitor has agreed to day, time and name.",
    parameters: {
      type: "object",
      properties: {
        slot: { type: "string", description: "The id that free_slots gave." },
        name: { type: "string", description: "Who it is for." },
      },
      required: ["slot", "name"],
    },
    request: {
      method: "POST",
      url: "https://api.example.com/bookings",
      body: { slot: "{{slot}}", name: "{{name}}" },
    },
  },
];

/** The tools of the templates call example.com until the user enters an address. */
export const AGENT_TEMPLATES: readonly AgentTemplate[] = [
  { id: "blank", title: msg("Blank"), text: msg("Only sensible limits."), values: {} },
  {
    id: "support",
    title: msg("Customer support"),
    text: msg("Answers questions, and hands over what it cannot solve."),
    values: {
      name: "Customer support",
      systemPrompt: `You answer customers of our company.

- Be friendly and brief: two or three sentences, a list only where steps are to be followed.
- Answer only from what you know of us. When you are not sure, say so and do not guess.
- For anything about money, contracts or complaints, ask for an email address and say that a
  colleague will write within one working day.
- Answer in the language you are asked in.

About us: …`,
      temperature: "0.3",
      maxOutputTokens: "600",
    },
  },
  {
    id: "shop",
    title: msg("Shop with order status"),
    text: msg("Calls your shop's API to find an order."),
    values: {
      name: "Shop assistant",
      systemPrompt: `You help visitors of our shop.

- When an order number is given, look it up with order_status before you answer.
- Tell what the tool says in your own words. Never make up a status or a date.
- When the tool fails, apologise and give our phone number: …
- Answer in the language you are asked in, in at most four sentences.`,
      temperature: "0.2",
      maxOutputTokens: "500",
      tools: JSON.stringify([ORDER_TOOL], null, 2),
      allowedDomains: "api.example.com",
    },
  },
  {
    id: "docs",
    title: msg("Questions about documents"),
    text: msg("Answers from a knowledge base and cites the document."),
    values: {
      name: "Documentation helper",
      systemPrompt: `You answer questions about our product from its documentation.

- Search the knowledge base before each answer, with the words that the documentation would use.
- Answer only from what you found, and name the document it stands in.
- When nothing fits, say that the documentation does not tell, and suggest what to ask instead.
- Keep code and settings exactly as they are written.`,
      temperature: "0.1",
      maxOutputTokens: "1200",
    },
  },
  {
    id: "booking",
    title: msg("Appointments"),
    text: msg("Finds a free time and books it, with two tools."),
    values: {
      name: "Appointments",
      systemPrompt: `You arrange appointments.

- Ask for the day, look up its free times with free_slots, and offer at most three of them.
- Repeat day, time and name, and book with book_slot only after a clear yes.
- Tell the visitor when it is booked. When booking fails, say so and offer another time.`,
      temperature: "0.2",
      maxOutputTokens: "400",
      maxSteps: "10",
      tools: JSON.stringify(BOOKING_TOOLS, null, 2),
      allowedDomains: "api.example.com",
    },
  },
];

export function findTemplate(id: string | null): AgentTemplate {
  return AGENT_TEMPLATES.find((template) => template.id === id) ?? AGENT_TEMPLATES[0]!;
}
