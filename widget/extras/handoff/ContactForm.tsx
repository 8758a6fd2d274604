import { SEND } from "../../string_ids.ts";
import type { Ui } from "../../ui.ts";
import { Action, Form } from "../Form.tsx";
import { EMAIL, MESSAGE } from "./handoff_ids.ts";
import type { VisitorHandoff } from "./visitor_handoff.ts";

export interface ContactFormProps {
  readonly ui: Pick<Ui, "locale">;
  readonly t: (id: number) => string;
  readonly handoff: Pick<VisitorHandoff, "leaveContact">;
}

/** For an answer by e-mail when nobody is there. The browser checks the fields. */
export function ContactForm({ ui, t, handoff }: ContactFormProps) {
  const save = (form: HTMLFormElement) =>
    void handoff.leaveContact(Object.fromEntries(new FormData(form)));
  return (
    <Form look="contact" part="contact" onSave={save}>
      <label>
        {t(EMAIL)}
        <input name="email" type="email" autocomplete="email" required maxLength={254} />
      </label>
      <label>
        {t(MESSAGE)}
        <textarea name="message" rows={3} required maxLength={4000} dir="auto" />
      </label>
      <Action label={ui.locale.t(SEND)} />
    </Form>
  );
}
