import { drawCode, type CodeDrawing } from '@lab/web-model';
import { useEffect, useState, type ReactNode } from 'react';
import { useWords } from '../settings/index.js';

/** A QR code. The library that makes it is loaded with the first code. */
export function Code({ text }: { text: string }): ReactNode {
  const words = useWords();
  const [drawing, setDrawing] = useState<CodeDrawing>();
  const [isLost, setIsLost] = useState(false);
  useEffect(() => {
    let isShown = true;
    codeOf(text).then(
      (made) => {
        if (isShown) setDrawing(made);
      },
      () => {
        if (isShown) setIsLost(true);
      },
    );
    return () => {
      isShown = false;
    };
  }, [text]);
  if (isLost) return <span role="alert">{words.say('labels.failed')}</span>;
  if (drawing === undefined) return <span className="code" />;
  const { size, path } = drawing;
  return (
    <svg
      className="code"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={words.say('labels.code', { address: text })}
      shapeRendering="crispEdges"
    >
      <path d={path} />
    </svg>
  );
}

/** @param text an address, so that it has ASCII characters alone */
async function codeOf(text: string): Promise<CodeDrawing> {
  const { default: qrcode } = await import('qrcode-generator');
  // The smallest code that fits, of which 15 % may be damaged.
  const code = qrcode(0, 'M');
  code.addData(text, 'Byte');
  code.make();
  return drawCode(code.getModuleCount(), (row, column) => code.isDark(row, column));
}
