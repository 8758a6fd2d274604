import type { ComponentChildren } from "preact";
import type { SetupStep, VisitorLimitsAdvice } from "@/lib/services/home_advice.ts";
import { DismissForm, VisitorLimitsOffer } from "./VisitorLimitsOffer.tsx";

export interface GettingStartedProps {
  steps: readonly SetupStep[];
  /** The offer of the last step, until it is done or dismissed. */
  visitorLimits: VisitorLimitsAdvice | undefined;
  canDismiss: boolean;
}

const TITLES: Record<SetupStep["name"], ComponentChildren> = {
  agent: (
    <>
      <a href="/agents">Create an agent</a> and allow the sites that may embed it
    </>
  ),
  key: (
    <>
      <a href="/api-keys">Create an API key</a> for your backend
    </>
  ),
  chat: "Send a first message in the playground or from your site",
  visitor_limits: "Set limits for individual visitors",
};

/** The steps from an empty installation to an agent that visitors can use. */
export function GettingStarted({ steps, visitorLimits, canDismiss }: GettingStartedProps) {
  const done = steps.filter((step) => step.done).length;
  return (
    <section class="stack-small" aria-labelledby="getting-started">
      <div class="section-head">
        <h2 id="getting-started">Get started</h2>
        <p class="help">{done} of {steps.length} done</p>
      </div>
      <ol class="rows setup-steps">
        {steps.map(({ name, done }) => (
          <li key={name} class="attention">
            <span class={`setup-state ${done ? "setup-done" : ""}`} aria-hidden="true">
              {done ? "✓" : ""}
            </span>
            <div class="stack-small">
              <p>
                {TITLES[name]} <span class="tag">{done ? "Done" : "To do"}</span>
              </p>
              {name === "visitor_limits" && visitorLimits && (
                <VisitorLimitsOffer advice={visitorLimits} />
              )}
            </div>
          </li>
        ))}
      </ol>
      {canDismiss && <DismissForm advice="getting_started" label="Dismiss" />}
    </section>
  );
}
