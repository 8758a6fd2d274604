import type { ComponentChildren } from "preact";
import { PostForm, type PostFormProps } from "./PostForm.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface ConfirmFormProps
  extends Pick<PostFormProps, "issues" | "labels" | "lead" | "once"> {
  /** Where the form is sent; also the page that asks without scripts. */
  action: string;
  title: string;
  confirm: string;
  /** Target of "Cancel" on a page; omitted in a dialog, which "Cancel" closes. */
  cancelHref?: string;
  /** The action can be undone. */
  reversible?: boolean;
  /** Shown between the question and the buttons. */
  fields?: ComponentChildren;
  children: ComponentChildren;
}

/** Asks for confirmation, by default before an irreversible action. */
export function ConfirmForm(props: ConfirmFormProps) {
  const { action, issues, labels = {}, lead = t("Couldn't save."), once } = props;
  return (
    <PostForm class="stack" {...{ action, issues, labels, lead, once }}>
      <h2>{props.title}</h2>
      <div class="prose">{props.children}</div>
      {props.fields}
      <div class="form-actions">
        <button
          class={`button ${props.reversible ? "button-primary" : "button-danger"}`}
          type="submit"
        >
          {props.confirm}
        </button>
        {props.cancelHref === undefined
          ? (
            <button class="button" type="submit" formMethod="dialog" formNoValidate autofocus>
              {t("Cancel")}
            </button>
          )
          : <a class="button" href={props.cancelHref} aria-current="false">{t("Cancel")}</a>}
      </div>
    </PostForm>
  );
}
