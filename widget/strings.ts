/** Every word a visitor reads or hears. Calm, short, and never a code or a status number. */

export const STRINGS = {
  title: "Chat with us",
  subtitle: "AI assistant",
  open: "Open chat",
  close: "Close chat",
  newConversation: "New conversation",
  log: "Conversation",
  greeting: "Hello. How can we help?",
  greetingHint: "Ask in your own words. You will get an answer right here.",
  placeholder: "Write a message",
  send: "Send message",
  stop: "Stop answering",
  footnote: "AI answers can contain mistakes.",
  you: "You",
  assistant: "Assistant",
  thinking: "Thinking",
  working: "Looking that up",
  latest: "Jump to the latest message",
  retry: "Try again",
  stopped: "Stopped",
  cutOff: "This answer is incomplete",
  tooLong: "This answer reached its maximum length",
  filtered: "Part of this answer was withheld",
  newAnswer: "New answer",
} as const;

export const FAILURES = {
  offline: "We could not reach the chat. Please check your connection.",
  dropped: "The connection was lost before the answer was complete.",
  session: "This chat has been open for a while. Please reload the page to go on.",
  noSession: "The chat is not ready yet. Please reload the page in a moment.",
  origin: "The chat is not available on this page.",
  busy: "That was a little fast.",
  crowded: "All lines are busy.",
  cap: "This chat has reached its message limit. Please reload the page to go on.",
  plan: "The chat has reached its limit for today.",
  gone: "The chat is not available at the moment.",
  tooLarge: "That message is too long. Please shorten it a little.",
  refused: "That message could not be sent.",
  server: "Something went wrong on our side.",
  budget: "The answer had to end here because it grew too large.",
  provider: "The assistant could not finish the answer.",
  empty: "No answer came back.",
} as const;

/** "in about 2 minutes": a wait in words, rounded up so that it is never too early. */
export function waitInWords(seconds: number): string {
  if (seconds <= 5) return "in a few seconds";
  if (seconds < 60) return `in about ${Math.ceil(seconds / 5) * 5} seconds`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return minutes === 1 ? "in about a minute" : `in about ${minutes} minutes`;
  const hours = Math.ceil(minutes / 60);
  return hours === 1 ? "in about an hour" : `in about ${hours} hours`;
}
