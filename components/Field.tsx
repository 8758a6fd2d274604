import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { FirstFault } from "./PostForm.tsx";

/** Attributes that tie a control to its label, help and fault. */
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
  /** What is wrong with the value, shown in place of nothing else: the help stays. */
  fault?: string | undefined;
  optional?: boolean;
  /** Has the focus when the page comes, unless something is wrong elsewhere in the form. */
  focused?: boolean;
  /** Renders the control with the attributes it is given. */
  children: (attributes: ControlAttributes) => ComponentChildren;
}

/** One labelled control with its help and what is wrong with it. */
export function Field({ name, label, help, fault, optional, focused, children }: FieldProps) {
  const firstFault = useContext(FirstFault);
  const notes = [fault && `${name}-fault`, help && `${name}-help`].filter(Boolean).join(" ");
  const attributes: ControlAttributes = {
    id: name,
    name,
    ...(notes === "" ? {} : { "aria-describedby": notes }),
    ...(fault === undefined ? {} : { "aria-invalid": "true" }),
    ...((firstFault === undefined ? focused : firstFault === name) && { autofocus: true }),
  };
  return (
    <div class="field">
      <label for={name}>
        {label}
        {optional && <span class="optional">optional</span>}
      </label>
      {children(attributes)}
      {fault !== undefined && <p class="fault" id={`${name}-fault`}>{fault}</p>}
      {help && <p class="help" id={`${name}-help`}>{help}</p>}
    </div>
  );
}
