/** Tells what a file holds from its first bytes; its name is no evidence. */

export type FileKind =
  | { readonly type: "text"; readonly encoding: "utf-8" | "utf-16le" | "utf-16be" }
  | { readonly type: "image"; readonly mediaType: string }
  | { readonly type: "binary" };

/** `head` is the beginning of the file, 12 bytes or more if it has them. */
export function fileKind(head: Uint8Array): FileKind {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const mediaType = imageType(bytes);
  if (mediaType !== undefined) return { type: "image", mediaType };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { type: "text", encoding: "utf-16le" };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { type: "text", encoding: "utf-16be" };
  return bytes.includes(0) ? { type: "binary" } : { type: "text", encoding: "utf-8" };
}

function imageType(bytes: Buffer): string | undefined {
  const start = bytes.toString("latin1", 0, 12);
  if (start.startsWith("\x89PNG\r\n\x1A\n")) return "image/png";
  if (start.startsWith("\xFF\xD8\xFF")) return "image/jpeg";
  if (start.startsWith("GIF87a") || start.startsWith("GIF89a")) return "image/gif";
  if (start.startsWith("RIFF") && start.endsWith("WEBP")) return "image/webp";
  return undefined;
}
