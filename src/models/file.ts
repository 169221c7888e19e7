/** Files in a conversation: sent as such where the API takes them, else as their text, else only named. */

/** `accepted` is what the API takes at this place. */
export function shownAs(mediaType: string, accepted: RegExp | undefined): "file" | "text" {
  return accepted?.test(mediaType) === true ? "file" : "text";
}

const READABLE = /^text\/|^application\/(json|xml|yaml|toml|javascript|x-sh)$|\+(json|xml)$/;

/** What stands for a file that cannot be sent; `data` is base64. */
export function textOfFile(mediaType: string, data: string): string {
  const bytes = Buffer.from(data, "base64");
  return READABLE.test(mediaType)
    ? `[file of type ${mediaType}]\n${bytes.toString("utf8")}`
    : `[file of type ${mediaType}, ${bytes.length} bytes: this model cannot be shown it]`;
}
