/** Enter that confirms an IME candidate does not send; Safari marks it with key code 229 only. */
export function isSendKey(event: KeyboardEvent): boolean {
  return event.key === "Enter" && !event.shiftKey && !event.isComposing && event.keyCode !== 229;
}
