"""What students predict in lesson 09."""

