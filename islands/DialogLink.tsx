import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

export interface DialogLinkProps {
  /** The page that does the same without scripts, and in a new tab. */
  href: string;
  label: string;
  /** What of several it is about, for screen readers: "Delete: handbook.pdf". */
  about?: string;
  class?: string;
  /** Names the dialog for screen readers. */
  title: string;
  children?: ComponentChildren;
}

/** A link that opens its content in a dialog; without scripts it leads to the page of the same. */
export default function DialogLink(props: DialogLinkProps) {
  const dialog = useRef<HTMLDialogElement>(null);

  function open(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    dialog.current?.showModal();
  }
  /** A press on the dialog itself is one on its backdrop: its content covers the rest. */
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
