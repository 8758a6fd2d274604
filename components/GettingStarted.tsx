import type { SetupStep } from "@/lib/services/home_advice.ts";
import { DismissForm } from "./VisitorLimitsOffer.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface GettingStartedProps {
  steps: readonly SetupStep[];
  /** The reader may connect models. */
  operator: boolean;
  /** The newest agent that is not the demo, to link its pages. */
  agent: string | undefined;
  canDismiss: boolean;
}

interface StepText {
  title: string;
  text: string;
  action: string;
  href: string;
}

/** The steps from an empty installation to a chat on a site. Each ticks itself. */
export function GettingStarted({ steps, canDismiss, ...links }: GettingStartedProps) {
  const done = steps.filter((step) => step.done).length;
  const texts = textsOf(links);
  const next = steps.find((step) => !step.done)?.name;
  return (
    <section class="card stack" aria-labelledby="getting-started">
      <div class="section-head">
        <h2 id="getting-started">{t("Get started")}</h2>
        <p class="help">{t("{done} of {steps}", { done, steps: steps.length })}</p>
      </div>
      <progress
        class="setup-progress"
        value={done}
        max={steps.length}
        aria-label={t("Steps done")}
      />
      <ol class="setup-steps">
        {steps.map(({ name, done }) => (
          <li key={name} class={done ? "setup-step setup-step-done" : "setup-step"}>
            <span class="setup-state" aria-hidden="true">{done ? "✓" : ""}</span>
            <div>
              <h3>
                {texts[name].title}
                <span class="sr-only">{done ? t("Done") : t("To do")}</span>
              </h3>
              {!done && <p class="help">{texts[name].text}</p>}
            </div>
            {!done && (
              <a
                class={name === next ? "button button-primary" : "button"}
                href={texts[name].href}
                aria-current="false"
              >
                {texts[name].action}
              </a>
            )}
          </li>
        ))}
      </ol>
      {canDismiss && <DismissForm advice="getting_started" label={t("Hide these steps")} />}
    </section>
  );
}

function textsOf(
  { operator, agent }: Pick<GettingStartedProps, "operator" | "agent">,
): Record<SetupStep["name"], StepText> {
  const embed = agent === undefined ? "/agents/new" : `/agents/${agent}/embed`;
  return {
    model: operator
      ? {
        title: t("Connect a model"),
        text: t("Choose a provider and paste its key. Until then, agents use the demo model."),
        action: t("Connect model"),
        href: "/operator/providers/connect",
      }
      : {
        title: t("Connect a model"),
        text: t("Ask the operator of this installation to connect one for your plan."),
        action: t("View your plan"),
        href: "/settings",
      },
    agent: {
      title: t("Create an agent"),
      text: t("Start from a template, then try the agent out next to its settings."),
      action: t("Create agent"),
      href: "/agents/new",
    },
    site: {
      title: t("Allow your site"),
      text: t("Only the sites that you name can show the chat."),
      action: t("Allow site"),
      href: embed,
    },
    embed: {
      title: t("Add the chat to your site"),
      text: t("Copy a route for your backend and one tag for your pages."),
      action: t("Get the code"),
      href: agent === undefined ? "/agents/new" : `${embed}#embed-backend`,
    },
    chat: {
      title: t("Have a first conversation"),
      text: t("On your site, or in the playground of the agent."),
      action: t("Try it"),
      href: agent === undefined ? "/agents" : `/agents/${agent}`,
    },
  };
}
