import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { FirstIssue } from "./PostForm.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** Attributes that connect a control to its label, help and validation message. */
export interface ControlAttributes {
  id: string;
  name: string;
  "aria-describedby"?: string;
  "aria-invalid"?: "true";
  autofocus?: true;
}

export interface FieldProps {
  name: string;
  label: string;
  help?: ComponentChildren;
  /** The validation message, shown in addition to the help. */
  issue?: string | undefined;
  optional?: boolean;
  /** Focused when the page opens, unless another field has a validation message. */
  focused?: boolean;
  /** Renders the control with these attributes. */
  children: (attributes: ControlAttributes) => ComponentChildren;
}

/** A labeled control with help and validation message. */
export function Field({ name, label, help, issue, optional, focused, children }: FieldProps) {
  const firstIssue = useContext(FirstIssue);
  const notes = [issue && `${name}-fault`, help && `${name}-help`].filter(Boolean).join(" ");
  const attributes: ControlAttributes = {
    id: name,
    name,
    ...(notes === "" ? {} : { "aria-describedby": notes }),
    ...(issue === undefined ? {} : { "aria-invalid": "true" }),
    ...((firstIssue === undefined ? focused : firstIssue === name) && { autofocus: true }),
  };
  return (
    <div class="field">
      <label for={name}>
        {t(label)}
        {optional && <span class="optional">{t("optional")}</span>}
      </label>
      {children(attributes)}
      {issue !== undefined && <p class="field-error" id={`${name}-fault`}>{t(issue)}</p>}
      {help && <p class="help" id={`${name}-help`}>{typeof help === "string" ? t(help) : help}</p>}
    </div>
  );
}
