use super::sse::{Splitter, TooLarge};

/// Every event of a body that comes in these pieces.
fn split<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
    let (mut splitter, mut found) = (Splitter::default(), Vec::new());
    for piece in pieces {
        splitter.take(piece, &mut found).unwrap();
    }
    found.extend(splitter.end());
    found
}

#[test]
fn fields_comments_and_line_ends_of_every_kind() {
    let body = "\u{feff}event: a\r\ndata: one\r\rdata:two\ndata:  three\n\n: comment\nid: 7\n\ndata\n\ndatabase: x\n\ndata: [DONE]";
    assert_eq!(split([body.as_bytes()]), ["one", "two\n three", "", "[DONE]"]);
}

#[test]
fn any_cut_gives_the_same_events() {
    arbtest::arbtest(|random| {
        let alphabet: [&[u8]; 12] = [
            b"data:",
            b"data: ",
            b"\n",
            b"\r",
            b"\r\n",
            b"\n\n",
            b":",
            b"x",
            "ü€".as_bytes(),
            b"event: y",
            b" ",
            "\u{feff}".as_bytes(),
        ];
        let mut body = Vec::new();
        for _ in 0..random.int_in_range(0..=60)? {
            body.extend_from_slice(random.choose(&alphabet)?);
        }
        let whole = split([body.as_slice()]);
        let (mut pieces, mut rest) = (Vec::new(), body.as_slice());
        while !rest.is_empty() {
            let (piece, left) = rest.split_at(random.int_in_range(0..=rest.len().min(5))?);
            pieces.push(piece);
            rest = left;
            if random.is_empty() {
                pieces.push(rest);
                break;
            }
        }
        assert_eq!(split(pieces), whole, "{:?}", String::from_utf8_lossy(&body));
        Ok(())
    });
}

#[test]
fn an_event_without_end_is_refused_before_it_fills_the_memory() {
    let (mut splitter, mut found) = (Splitter::default(), Vec::new());
    let megabyte = vec![b'x'; 1024 * 1024];
    let refused = (0..20).find_map(|_| splitter.take(&megabyte, &mut found).err());
    assert_eq!((refused, found.len()), (Some(TooLarge), 0));
    let mut lines = Splitter::default();
    let line = [b"data: ".as_slice(), &megabyte, b"\n"].concat();
    assert_eq!((0..20).find_map(|_| lines.take(&line, &mut found).err()), Some(TooLarge));
}
