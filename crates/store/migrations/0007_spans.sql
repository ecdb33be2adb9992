-- A place may lead to several appends of its run, one after the other: `last_seq` is that of the last, `id` of
-- the first, and `later` has the ids after it, each as its distance from the one before.
ALTER TABLE places ADD COLUMN later BLOB;
