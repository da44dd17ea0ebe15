package secret

import (
	"testing"

	"snapline/pkg/requirement"
)

func TestPersonalData(t *testing.T) {
	requirement.Claim(t, "SEC-07")
	check(t, plainRules, []sample{
		{"applicant 123-45-6789, born 1980", "applicant «ssn», born 1980"},
		{"123-45-6789", "«ssn»"},
		{"(123-45-6789). 123-45-6789. No.123-45-6789", "(«ssn»). «ssn». No.«ssn»"},
		{"000-12-3456 666-12-3456 900-12-3456 999-12-3456 123-00-4567 123-45-0000", ""},
		{"1123-45-6789 123-45-67890 a123-45-6789 123-45-6789a 1-123-45-6789 123-45-6789-1 1.123-45-6789 123-45-6789.5", ""},
		{"12345-6789 123-456-7890 123 45 6789 123456789 123-45 6789", ""},
		{"SSN 123 45 6789 and ssn: 123456789", "SSN «ssn» and ssn: «ssn»"},
		{"CLASSNAME=123456789 PASSNUM: 268435456 GSSNAME 123456789 crossNAME=123456789 VERSION_GSSNEGOTIATE=1\nVERSION_HSTS=268435456", ""},
		{"userSSN=123456789 EMPSSN 123456789 ssnNumber: 123456789 SSNNUM=123456789 x_ssn_no=123456789 userSsnText 123456789", "userSSN=«ssn» EMPSSN «ssn» ssnNumber: «ssn» SSNNUM=«ssn» x_ssn_no=«ssn» userSsnText «ssn»"},
		{"Social Security number: 123456789.", "Social Security number: «ssn»."},
		{"4111 1111 1111 1111", "«payment-card»"},
		{"4111111111111111 4111-1111-1111-1111", "«payment-card» «payment-card»"},
		{"paid with 4111 1111 1111 1111, exp 12/30", "paid with «payment-card», exp 12/30"},
		{"4111 1111 1111 1111 5555 5555 5555 4444", "«payment-card» «payment-card»"},
		{"378282246310005 3782 822463 10005 371449635398431", "«payment-card» «payment-card» «payment-card»"},
		{"6011111111111117 3530111333300000 30569309025904 38520000023237 2223003122003222 visa 4222222222222 and then much other text, at last 4222222222222", "«payment-card» «payment-card» «payment-card» «payment-card» «payment-card» visa «payment-card» and then much other text, at last 4222222222222"},
		{"4111 1111 1111 1112 4111111111111112", ""},
		{"41111111-1111 1111 411111111 1111111 41111-1111-1111111 4111111111111 111", "«payment-card» «payment-card» «payment-card» «payment-card»"},
		{"x4111111111111111 4111111111111111x 41111111111111111111 0.4111111111111111 4111111111111111.5", ""},
		{"1773216862004 20260311081422 1004567890123468 9111111111111116", ""},
		{"id 41234574-7895-4288-a66c-f0e1d2c3b4a5 commit 4111111111111111abcdefabcdefabcdefabcdef", ""},
		{"4111  1111 1111 1111", ""},
		{"pay GB82 WEST 1234 5698 7654 32 today", "pay «iban» today"},
		{"DE89370400440532013000, FR1420041010050500013M02606; NO9386011117947", "«iban», «iban»; «iban»"},
		{"IBAN DE89 3704 0044 0532 0130 00 FAILED for order", "IBAN «iban» FAILED for order"},
		{"MT84MALT011000012345MTLCAST001S LC55HEMM000100010012001200023015 BE68539007547034", "«iban» «iban» «iban»"},
		{"GB82 WEST 1234 5698 7654 33 DE88370400440532013000", ""},
		{"CH20 4296 4254 2201 0391 7, 4296 4254 2201 0391", "«iban», «payment-card»"},
		{"xGB82WEST12345698765432 GB82WEST12345698765432x", ""},
	})
}

// Groups of four hexadecimal digits that go on are a fingerprint, not an IBAN.
func TestFingerprints(t *testing.T) {
	requirement.Claim(t, "SEC-07")
	check(t, plainRules, []sample{
		{"Key fingerprint = BA54 73A2 B058 7B07 FB51 CF2D 2160 94DF D0CB 81EF", ""},
		{"fingerprint: 1A2B  BA57 73A2 B058 7B07 FB27", ""},
		{"BA57 73A2 B058 7B07 FB27 1A2B 0000", ""},
		{"FB51 CF2D 2160 94DF D0CB  0000 1A2B", ""},
		{"FB51 CF2D 2160 94DF D0CB", "«iban»"},
		{"IBAN BE68 5390 0754 7034", "IBAN «iban»"},
		{"2024 BE68 5390 0754 7034 2025 FACE", "2024 «iban» 2025 FACE"},
		{"1A2B3 BE68 5390 0754 7034 x1A2B", "1A2B3 «iban» x1A2B"},
		{"on 1A2B: DE89 3704 0044 0532 0130 00, 1A2B", "on 1A2B: «iban», 1A2B"},
		{"00000010: 2b2a2928 2f2e2d2c 23222120 27262524 \n0040: 2f2e 4111 1111 1111 1111\n4111 1111 1111 1111  2B2a 1c2d", ""},
		{"dead 4111 1111 1111 1111 face, 4111 1111 1111 1111 12ab3 a1b2", "dead «payment-card» face, «payment-card» 12ab3 a1b2"},
		{"1A2B GB82 WEST 1234 5698 7654 32", "1A2B «iban»"},
	})
}
