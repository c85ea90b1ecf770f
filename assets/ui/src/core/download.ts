/** Hands a text to the person as a file. */
export function download(name: string, text: string, type = 'application/json'): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replace(/[^\p{L}\p{N} ._()-]+/gu, ' ').trim() || 'flow.json';
  link.click();
  URL.revokeObjectURL(url);
}
