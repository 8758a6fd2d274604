/** What a visitor sends beside messages: ratings of answers, and decisions on calls. */
import { ChatError, type Feedback, feedback, toolCalls } from "@agent-chat/client";
import type { AgentChatOptions, AgentChatState } from "./mod.d.ts";

export interface SessionActionsOptions {
  /** What each request needs, as it is then. */
  readonly session: () =>
    & Pick<AgentChatOptions, "apiBase" | "fetch">
    & { sessionToken: (rejected: string) => Promise<string> };
  readonly getState: () => AgentChatState;
  /** Shows and stores a change. */
  readonly change: (change: Partial<AgentChatState>) => void;
}

export interface SessionActions {
  rate(id: string, given: Feedback | undefined): Promise<void>;
  decide(id: string, approve: boolean): Promise<void>;
}

export function sessionActions(
  { session, getState, change }: SessionActionsOptions,
): SessionActions {
  const find = (id: string) => getState().messages.find((message) => message.id === id);
  const show = (id: string, feedback: Feedback | undefined) =>
    change({
      messages: getState().messages.map((message) =>
        message.id === id ? { ...message, feedback } : message
      ),
    });
  return {
    async rate(id, given) {
      const before = find(id)?.feedback;
      const ofAnswer = feedback({ ...session(), runId: id });
      show(id, given);
      try {
        if (given === undefined) await ofAnswer.withdraw();
        else await ofAnswer.set(given);
      } catch (error) {
        // A later rating is not undone.
        if (find(id)?.feedback === given) show(id, before);
        throw error;
      }
    },
    async decide(id, approve) {
      const [runId = "", n] = id.split(".");
      try {
        await toolCalls(session()).decide(runId, Number(n), approve);
      } catch (error) {
        // Decided elsewhere, or too late: it waits no more.
        if (!(error instanceof ChatError && /^40[49]$/.test(`${error.status}`))) throw error;
      }
      change({ approvals: getState().approvals.filter((one) => one.id !== id) });
    },
  };
}
