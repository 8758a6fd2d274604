import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from "@simplewebauthn/browser";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "@/lib/dashboard/texts/translate.ts";

interface SharedProps {
  /** Name of the hidden field that gets the passkey's answer. */
  field: string;
  label: string;
  class?: string;
  /** Sends the form with the answer. */
  submits?: boolean;
}

export type PasskeyButtonProps =
  & SharedProps
  & (
    | { use: "create"; options: PublicKeyCredentialCreationOptionsJSON }
    | { use: "get"; options: PublicKeyCredentialRequestOptionsJSON }
    /** The options are fetched when they are needed, because they are valid for minutes only. */
    | { use: "get"; optionsUrl: string }
  );

type Outcome = "idle" | "busy" | "done" | "canceled" | "known" | "failed";

/** Creates or uses a passkey and puts its answer into the form around it. Hidden without scripts. */
export default function PasskeyButton(props: PasskeyButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isReady, setReady] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>("idle");
  useEffect(() => setReady(true), []);

  async function ask() {
    setOutcome("busy");
    try {
      input.current!.value = JSON.stringify(await answer(props));
    } catch (error) {
      setOutcome(outcomeOf(error));
      return;
    }
    setOutcome("done");
    if (props.submits) input.current!.form!.requestSubmit();
  }
  return (
    <div class="passkey">
      <input ref={input} type="hidden" name={props.field} />
      <button
        type="button"
        class={props.class ?? "button"}
        hidden={!isReady}
        disabled={outcome === "busy" || outcome === "done"}
        onClick={ask}
      >
        {props.label}
      </button>
      {!isReady && <p class="help">{t("Passkeys need JavaScript.")}</p>}
      <p class={isError(outcome) ? "field-error" : "help"} role="status">{said(outcome, props)}</p>
    </div>
  );
}

async function answer(props: PasskeyButtonProps): Promise<unknown> {
  if (props.use === "create") return await startRegistration({ optionsJSON: props.options });
  const optionsJSON = "options" in props ? props.options : await fetchOptions(props.optionsUrl);
  return await startAuthentication({ optionsJSON });
}

async function fetchOptions(url: string): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const response = await fetch(url, { headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(`no challenge: ${response.status}`);
  return await response.json();
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof WebAuthnError) {
    if (error.code === "ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED") return "known";
    if (error.code === "ERROR_CEREMONY_ABORTED") return "canceled";
  }
  // Canceled, timed out, or no passkey that fits: browsers do not say which.
  return error instanceof Error && error.name === "NotAllowedError" ? "canceled" : "failed";
}

function isError(outcome: Outcome): boolean {
  return outcome === "canceled" || outcome === "known" || outcome === "failed";
}

function said(outcome: Outcome, { submits }: SharedProps): string {
  switch (outcome) {
    case "canceled":
      return t("No passkey was used. Try again.");
    case "known":
      return t("This device already has a passkey for your account.");
    case "failed":
      return t("This browser could not use a passkey. Reload the page and try again.");
    case "done":
      return submits ? "" : t("Confirmed. You can continue.");
    default:
      return "";
  }
}
