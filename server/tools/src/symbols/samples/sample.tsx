import React, { useState } from "react";

type Props = { title: string };

export const Header: React.FC<Props> = ({ title }) => <h1>{title}</h1>;

export default function Page({ title }: Props) {
  const [open, setOpen] = useState<boolean>(false);
  const onClick = () => setOpen(!open);
  return (
    <main onClick={onClick}>
      <Header title={title} />
    </main>
  );
}
