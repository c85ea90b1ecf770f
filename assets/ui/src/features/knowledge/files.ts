import { useState, type DragEvent } from 'react';

/** A file on its way into a store. */
export interface ReadFile {
  name: string;
  size: number;
  /** As the service takes it inside of a card. */
  uri: string;
}

export function readFile(file: File): Promise<ReadFile> {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () =>
      done({ name: file.name, size: file.size, uri: `${String(reader.result)},filename:${file.name}` });
    reader.onerror = () => fail(reader.error ?? new Error(file.name));
    reader.readAsDataURL(file);
  });
}

const bringsFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');

/** A place that takes files which are dropped on it. */
export function useFileDrop(take: (files: readonly File[]) => void) {
  const [over, setOver] = useState(false);
  return {
    over,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!bringsFiles(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: (event: DragEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        if (!bringsFiles(event)) return;
        event.preventDefault();
        setOver(false);
        take([...event.dataTransfer.files]);
      },
    },
  };
}
