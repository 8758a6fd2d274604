import type { ComponentChildren } from "preact";
import { PostForm, type PostFormProps } from "./PostForm.tsx";

export interface ConfirmFormProps
  extends Pick<PostFormProps, "faults" | "labels" | "lead" | "once"> {
  /** Where the confirmed form is sent; also the page that asks without scripts. */
  action: string;
  title: string;
  confirm: string;
  /** Where "Cancel" leads on a page of its own; left out in a dialog, which it closes. */
  cancelHref?: string;
  /** Between the question and its buttons. */
  fields?: ComponentChildren;
  children: ComponentChildren;
}

/** Asks before something that cannot be undone. */
export function ConfirmForm(props: ConfirmFormProps) {
  const { action, faults, labels = {}, lead = "Nothing was changed.", once } = props;
  return (
    <PostForm class="stack" {...{ action, faults, labels, lead, once }}>
      <h2>{props.title}</h2>
      <div class="prose">{props.children}</div>
      {props.fields}
      <div class="form-actions">
        <button class="button button-danger" type="submit">{props.confirm}</button>
        {props.cancelHref === undefined
          ? (
            <button class="button" type="submit" formMethod="dialog" formNoValidate autofocus>
              Cancel
            </button>
          )
          : <a class="button" href={props.cancelHref} aria-current="false">Cancel</a>}
      </div>
    </PostForm>
  );
}
