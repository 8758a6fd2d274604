import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

export interface DialogLinkProps {
  /** The equivalent page, for a new tab and for browsers without scripts. */
  href: string;
  label: string;
  /** Name of the row's item, for screen readers: "Delete: handbook.pdf". */
  about?: string;
  class?: string;
  /** Label of the dialog for screen readers. */
  title: string;
  children?: ComponentChildren;
}

/** A link that opens its content in a dialog, or the equivalent page without scripts. */
export default function DialogLink(props: DialogLinkProps) {
  const dialog = useRef<HTMLDialogElement>(null);

  function open(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    dialog.current?.showModal();
  }
  /** The content covers the whole dialog, so a click on the dialog itself is on its backdrop. */
  function closeOnBackdrop(event: MouseEvent) {
    if (event.target === dialog.current) dialog.current?.close();
  }
  return (
    <>
      <a class={props.class} href={props.href} aria-current="false" onClick={open}>
        {props.label}
        {props.about !== undefined && <span class="sr-only">: {props.about}</span>}
      </a>
      <dialog ref={dialog} aria-label={props.title} onMouseDown={closeOnBackdrop}>
        <div class="dialog-body">{props.children}</div>
      </dialog>
    </>
  );
}
